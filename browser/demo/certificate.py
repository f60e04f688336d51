"""The demo's certificate: made on this machine, for `erp.example.com`, never trusted by the system.

Chromium accepts it for one run only, by the hash of its public key. A pair of files is named
after that hash and never rewritten, so two first runs at once cannot mix their halves.
"""

import hashlib
import os
import ssl
from base64 import b64encode
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from browser.demo import HOST
from browser.demo.errors import CertificateUnwritableError, CryptographyMissingError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import Certificate

VALID_DAYS = 397  # the longest life that Chromium accepts of a public certificate is 398
RENEW_DAYS_BEFORE = 7
CLOCK_SKEW_MINUTES = 5


@dataclass(frozen=True)
class DemoCertificate:
    """Where the pair lies, and the hash by which Chromium is told to accept it."""

    cert_path: Path
    key_path: Path
    spki_sha256_base64: str


def ensure_certificate(folder: Path, now: datetime) -> DemoCertificate:
    """Return a usable certificate from *folder*, made new when none will last another week.

    Raises:
        CryptographyMissingError: the `demo` extra is not installed.
        CertificateUnwritableError: *folder* cannot hold the files.
    """
    try:
        import cryptography  # noqa: F401 - loaded for the demo only
    except ImportError as missing:
        raise CryptographyMissingError from missing
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        for cert_path in sorted(folder.glob("*.crt.pem")):
            kept = _kept(cert_path, now)
            if kept is not None:
                return kept
            _key_path(cert_path).unlink(missing_ok=True)
            cert_path.unlink(missing_ok=True)
        return _made(folder, now)
    except OSError as refusal:
        raise CertificateUnwritableError(folder, refusal.strerror or str(refusal)) from refusal


def _key_path(cert_path: Path) -> Path:
    return cert_path.with_name(cert_path.name.replace(".crt.pem", ".key.pem"))


def _kept(cert_path: Path, now: datetime) -> DemoCertificate | None:
    """Return the pair at *cert_path* when it can serve the whole coming week, else None."""
    from cryptography import x509

    key_path = _key_path(cert_path)
    try:
        certificate = x509.load_pem_x509_certificate(cert_path.read_bytes())
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert_path, key_path)
    except (ValueError, OSError):  # broken, missing half, or the halves do not match
        return None
    last_day = certificate.not_valid_after_utc - timedelta(days=RENEW_DAYS_BEFORE)
    if not certificate.not_valid_before_utc <= now < last_day:
        return None
    for path in (cert_path, key_path):
        path.chmod(0o600)
    return DemoCertificate(cert_path, key_path, _spki(certificate))


def _made(folder: Path, now: datetime) -> DemoCertificate:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    certificate = _signed(key, now)
    spki = _spki(certificate)
    stem = hashlib.sha256(spki.encode()).hexdigest()[:16]
    cert_path = folder / f"{stem}.crt.pem"
    key_path = _key_path(cert_path)
    # The key first: a certificate on the disk always has its key beside it.
    _write_private(
        key_path,
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )
    _write_private(cert_path, certificate.public_bytes(serialization.Encoding.PEM))
    return DemoCertificate(cert_path, key_path, spki)


def _signed(key: "EllipticCurvePrivateKey", now: datetime) -> "Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, HOST),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "sgclaw demo company"),
        ]
    )
    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    public = key.public_key()
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    authority = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=CLOCK_SKEW_MINUTES))
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(identifier, critical=False)
        .add_extension(authority, critical=False)
        .sign(key, hashes.SHA256())
    )


def _spki(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives import serialization

    der = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return b64encode(hashlib.sha256(der).digest()).decode("ascii")


def _write_private(path: Path, content: bytes) -> None:
    """Write *content* so that *path* is absent or whole, and never readable by others."""
    half = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
    half.replace(path)
