"""The certificate is for erp.example.com only, kept while good and made new when not."""

import hashlib
import os
import stat
import subprocess
import sys
from base64 import b64encode
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from browser.demo.certificate import ensure_certificate
from browser.demo.errors import CertificateUnwritableError

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def test_certificate_names_the_demo_host_and_lives_397_days(tmp_path: Path) -> None:
    made = ensure_certificate(tmp_path / "demo", NOW)
    certificate = x509.load_pem_x509_certificate(made.cert_path.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["erp.example.com"]
    assert certificate.not_valid_after_utc == NOW + timedelta(days=397)
    assert certificate.not_valid_after_utc - certificate.not_valid_before_utc < timedelta(days=398)
    key = certificate.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"


def test_spki_hash_is_the_sha256_of_the_public_key_info(tmp_path: Path) -> None:
    made = ensure_certificate(tmp_path, NOW)
    key = serialization.load_pem_private_key(made.key_path.read_bytes(), None)
    info = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert made.spki_sha256_base64 == b64encode(hashlib.sha256(info).digest()).decode()


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
def test_nobody_else_can_read_the_pair(tmp_path: Path) -> None:
    made = ensure_certificate(tmp_path / "demo", NOW)
    assert stat.S_IMODE((tmp_path / "demo").stat().st_mode) == 0o700
    assert stat.S_IMODE(made.key_path.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.cert_path.stat().st_mode) == 0o600


def test_good_certificate_is_used_again(tmp_path: Path) -> None:
    first = ensure_certificate(tmp_path, NOW)
    later = ensure_certificate(tmp_path, NOW + timedelta(days=397 - 8))
    assert later == first
    assert sorted(tmp_path.iterdir()) == sorted([first.cert_path, first.key_path])


@pytest.mark.parametrize("days", [-1, 397 - 7, 400])
def test_certificate_that_cannot_serve_the_coming_week_is_made_new(
    tmp_path: Path, days: int
) -> None:
    first = ensure_certificate(tmp_path, NOW)
    later = ensure_certificate(tmp_path, NOW + timedelta(days=days))
    assert later.spki_sha256_base64 != first.spki_sha256_base64
    assert sorted(tmp_path.iterdir()) == sorted([later.cert_path, later.key_path])


@pytest.mark.parametrize("broken", ["cert_path", "key_path"])
def test_unreadable_half_is_made_new(tmp_path: Path, broken: str) -> None:
    first = ensure_certificate(tmp_path, NOW)
    Path(getattr(first, broken)).write_text("not a PEM file")
    assert ensure_certificate(tmp_path, NOW) != first


def test_missing_or_foreign_key_is_made_new(tmp_path: Path) -> None:
    first = ensure_certificate(tmp_path / "one", NOW)
    other = ensure_certificate(tmp_path / "two", NOW)
    first.key_path.write_bytes(other.key_path.read_bytes())
    assert ensure_certificate(tmp_path / "one", NOW) != first
    other.key_path.unlink()
    assert ensure_certificate(tmp_path / "two", NOW) != other


def test_folder_that_cannot_be_made_is_named_in_both_languages(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CertificateUnwritableError) as refusal:
        ensure_certificate(tmp_path / "file" / "demo", NOW)
    assert str(tmp_path / "file" / "demo") in str(refusal.value)
    assert "证书" in refusal.value.text("zh-CN")


def test_missing_cryptography_is_said_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "cryptography.py").write_text("raise ImportError('not installed here')")
    program = (
        "import datetime, pathlib\n"
        "from browser.demo.certificate import ensure_certificate\n"
        "ensure_certificate(pathlib.Path('made'), datetime.datetime.now(datetime.UTC))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert ended.returncode == 1
    assert "CryptographyMissingError" in ended.stderr
    assert "sgclaw[demo]" in ended.stderr
    assert not (tmp_path / "made").exists()
