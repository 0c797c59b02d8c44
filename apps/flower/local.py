"""A federation on this machine: a SuperLink, a SuperNode for each client, and a run.

The processes are those of a real federation (docs/howto/federation.md): TLS, a key for each node,
and each node reads its own file alone. They end when the block ends.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import yaml
from keys import make

APP = Path(__file__).parent
BIN = Path(sys.executable).parent
HOST = "127.0.0.1"


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Local:
    """Processes of a federation on this machine, as a context manager.

    Attributes
    ----------
    folder
        Folder of keys, logs, state and results; a server that is started again goes on from it.
    files
        The file of each client, by number.
    plan, serving
        As the file of a federation has them.
    results
        Folder of the server's results, below ``folder``.
    """

    folder: Path
    files: Sequence[Path]
    plan: Mapping[str, Any]
    serving: Mapping[str, Any]
    nodes: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    superlink: subprocess.Popen[bytes] | None = None
    port: int = field(default_factory=free_port)
    results: str = "server"

    def __enter__(self) -> Self:
        self.folder = self.folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        make(self.folder / "keys", [], len(self.files))
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(
            f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "{HOST}:{self.port}"\n'
            f'root-certificates = "{self.folder / "keys/ca.pem"}"\n'
        )
        return self

    def __exit__(self, *error: object) -> None:
        for process in [*self.nodes.values(), *filter(None, [self.superlink])]:
            end(process)

    def start(self) -> None:
        """Start the SuperLink and all nodes, whose keys it is told."""
        self.start_superlink()
        self.register()
        for k in range(len(self.files)):
            self.start_node(k)

    def start_superlink(self) -> None:
        """Start the SuperLink, and wait until it listens; nodes that it knows stay known."""
        keys = self.folder / "keys"
        self.superlink = self._start(
            "superlink",
            *("flower-superlink", "--host", HOST, "--port", str(self.port)),
            *("--ssl-ca-certfile", str(keys / "ca.pem")),
            *("--ssl-certfile", str(keys / "server.pem")),
            *("--ssl-keyfile", str(keys / "server.key")),
            *("--enable-supernode-auth", "--disable-runtime-dependency-installation"),
            *("--database", str(self.folder / "superlink.db")),
        )
        self._wait_for_port(self.port, self.superlink)

    def register(self) -> None:
        """Tell the SuperLink the public key of each node."""
        keys = [str(self.folder / f"keys/node{k}.pub") for k in range(len(self.files))]
        # One process: each takes seconds to load Flower.
        code = "import sys; from flwr.cli.app import app\nfor key in sys.argv[1:]: "
        code += "app(['supernode', 'register', key], standalone_mode=False)"
        self._call(sys.executable, "-c", code, *keys)

    def start_node(self, k: int) -> None:
        """Start the SuperNode of client k."""
        keys, state = self.folder / "keys", self.folder / f"node{k}"
        config = f"data={json.dumps(str(self.files[k].resolve()))} number={k} "
        config += f"state={json.dumps(str(state / 'state'))}"
        self.nodes[k] = self._start(
            f"node{k}",
            *("flower-supernode", "--superlink", f"{HOST}:{self.port}"),
            *("--root-certificates", str(keys / "ca.pem")),
            *("--auth-supernode-private-key", str(keys / f"node{k}")),
            *("--host", HOST, "--port", str(free_port()), "--node-config", config),
        )

    def run(self) -> str:
        """Submit a run of the plan, and return its id."""
        asked = {"clients": len(self.files), "folder": str(self.folder / self.results)}
        content = {"plan": dict(self.plan), "serving": asked | dict(self.serving)}
        (self.folder / "federation.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
        given = f"federation={json.dumps(str(self.folder / 'federation.yaml'))}"
        said = self.flwr("run", str(APP), "--run-config", given, "--format", "json")
        return str(json.loads(said[said.index("{") :])["run-id"])

    def log(self) -> str:
        """Return what the server has said."""
        path = self.folder / self.results / "server.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait(self, until: Callable[[str], bool], seconds: float) -> bool:
        """Wait until the log of the server is as wanted; ``False``: in vain."""
        end_ = time.monotonic() + seconds
        while time.monotonic() < end_:
            if until(self.log()):
                return True
            time.sleep(0.5)
        return False

    def flwr(self, *words: str) -> str:
        """Run a command of ``flwr``, and return what it prints.

        Raises
        ------
        RuntimeError
            It fails.
        """
        return self._call(str(BIN / "flwr"), *words)

    def _call(self, *command: str) -> str:
        done = subprocess.run(
            command,
            env=self._env("home"),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stdout} {done.stderr}")
        return done.stdout

    def _env(self, home: str) -> dict[str, str]:
        source = str(APP.parent.parent / "src")
        return os.environ | {
            "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]),
            "FLWR_HOME": str(self.folder / home),
            "FLWR_TELEMETRY_ENABLED": "0",
            "FLWR_DISABLE_UPDATE_CHECK": "1",
            "OMP_NUM_THREADS": "1",
        }

    def _start(self, name: str, *command: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                [str(BIN / command[0]), *command[1:]],
                env=self._env(name),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                cwd=self.folder,
            )

    def _wait_for_port(
        self, port: int, process: subprocess.Popen[bytes], seconds: float = 120
    ) -> None:
        end_ = time.monotonic() + seconds
        while time.monotonic() < end_:
            if process.poll() is not None:
                break
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            time.sleep(0.3)
        raise RuntimeError(f"the SuperLink does not listen; see {self.folder}/superlink.log")


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process and those that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
