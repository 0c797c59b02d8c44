"""Make the certificate of a server and the keys of nodes, in a folder.

    python apps/flower/keys.py FOLDER --host server.example.org --nodes 10

``ca.pem`` goes to each node, ``node<k>`` to node k alone, ``server.pem`` and ``server.key`` stay at
the server. Files that are there already are kept.
"""

import argparse
import datetime
import ipaddress
import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAYS = 365


def main() -> None:
    """Make what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--host", action="append", default=[], help="name or address of the server")
    parser.add_argument("--nodes", type=int, default=0, help="number of nodes")
    args = parser.parse_args()
    make(args.folder, args.host, args.nodes)


def make(folder: Path, hosts: list[str], nodes: int) -> None:
    """Make a certificate for these hosts, and a pair of keys for each node."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    if not (folder / "server.pem").exists():
        _certificates(folder, [*hosts, "localhost", "127.0.0.1"])
    for k in range(nodes):
        if not (folder / f"node{k}").exists():
            key = ec.generate_private_key(ec.SECP384R1())
            _private(folder / f"node{k}", key, serialization.PrivateFormat.OpenSSH)
            public = key.public_key().public_bytes(
                serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
            )
            (folder / f"node{k}.pub").write_bytes(public + b"\n")


def _certificates(folder: Path, hosts: list[str]) -> None:
    """Make an authority that signs one certificate, and then is gone."""
    authority, server = (ec.generate_private_key(ec.SECP384R1()) for _ in range(2))
    issuer, subject = (
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        for name in ("fedreact authority", hosts[0])
    )
    now = datetime.datetime.now(datetime.UTC)

    def builder(name: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=5))
            .not_valid_after(now + datetime.timedelta(days=DAYS))
        )

    signs = x509.KeyUsage(*(i in (5, 6) for i in range(9)))
    ca = (
        builder(issuer, authority)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(signs, critical=True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False
        )
        .sign(authority, hashes.SHA384())
    )
    identifier = ca.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
    certificate = (
        builder(subject, server)
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier),
            critical=False,
        )
        .sign(authority, hashes.SHA384())
    )
    pem = serialization.Encoding.PEM
    (folder / "ca.pem").write_bytes(ca.public_bytes(pem))
    _private(folder / "server.key", server, serialization.PrivateFormat.PKCS8)
    (folder / "server.pem").write_bytes(certificate.public_bytes(pem))


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _private(
    path: Path, key: ec.EllipticCurvePrivateKey, form: serialization.PrivateFormat
) -> None:
    """Write a key that its owner alone can read."""
    data = key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
