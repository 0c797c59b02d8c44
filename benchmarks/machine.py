"""The processor and the commit, as the first line of what a benchmark prints."""

from fedreact import provenance

if __name__ == "__main__":
    here, commit = provenance.machine(), provenance.commit()
    suffix = "" if commit is None else f", commit {commit['id'][:7]}"
    print(f"on {here['processor']}, {here['cores']} cores{suffix}")
