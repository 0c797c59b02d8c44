"""Run ``python -m fedreact`` as the command ``fedreact``."""

from fedreact.cli.main import main

if __name__ == "__main__":
    main()
