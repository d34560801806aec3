"""Builds the wheel and the source archive of the Python client, with the standard library only.

    python3 build.py [FOLDER]        # dist/ by default; prints the two paths

Equal sources give equal files: entries are sorted and have one date (SOURCE_DATE_EPOCH or 1980)
and fixed permissions. The version is that of Millrace (pom.xml), in a source archive that of
PKG-INFO; ``1.2.0-SNAPSHOT`` becomes ``1.2.0.dev0``. This file is also the build backend (PEP 517)
that pyproject.toml names, so that ``pip install clients/python`` needs no other package.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any, Dict, Mapping, Optional

HERE = Path(__file__).resolve().parent
NAME = "millrace"
_EARLIEST = 315532800  # 1980-01-01, the first date of a zip
_RELEASE = re.compile(r"(\d+(?:\.\d+)*)(-SNAPSHOT|-(?:rc|RC)(\d+))?")

WHEEL = f"""Wheel-Version: 1.0
Generator: {NAME}-build
Root-Is-Purelib: true
Tag: py3-none-any
"""


def version() -> str:
    """Returns the version in the form of PEP 440; raises ValueError if it has none."""
    pom = HERE.parent.parent / "pom.xml"
    info = HERE / "PKG-INFO"
    if info.exists():
        found = re.search(r"^Version: (.+)$", info.read_text("utf-8"), re.M)
    else:
        found = re.search(r"<artifactId>millrace</artifactId>\s*<version>([^<]+)</version>", pom.read_text("utf-8"))
    if found is None:
        raise ValueError(f"no version in {info if info.exists() else pom}")
    return found.group(1) if info.exists() else of_maven(found.group(1))


def of_maven(text: str) -> str:
    """Returns a version of Maven in the form of PEP 440."""
    found = _RELEASE.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is not a version that Python knows; use 1.2.0, 1.2.0-rc1 or 1.2.0-SNAPSHOT")
    release, suffix, candidate = found.groups()
    if suffix is None:
        return release
    return f"{release}rc{candidate}" if candidate else f"{release}.dev0"


def metadata() -> bytes:
    """Returns METADATA, which is also PKG-INFO: the fields, and the README as description."""
    fields = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {version()}
Summary: The client of Millrace: jobs, workflows, queues, and shares of partitioned resources
License: Apache-2.0
Classifier: Programming Language :: Python :: 3
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

"""
    return fields.encode() + (HERE / "README.md").read_bytes()


def package() -> Dict[str, bytes]:
    """Returns the files of the package by their paths."""
    sources = sorted((HERE / NAME).rglob("*"))
    files = {
        str(file.relative_to(HERE).as_posix()): file.read_bytes()
        for file in sources
        if file.suffix == ".py" or file.name == "py.typed"
    }
    files[f"{NAME}/_version.py"] = f'__version__ = "{version()}"\n'.encode()
    return files


def licence() -> bytes:
    """Returns the text of the licence, from the archive or the source tree."""
    own = HERE / "LICENSE"
    return (own if own.exists() else HERE.parent.parent / "LICENSE").read_bytes()


def build_wheel(
    wheel_directory: str, config_settings: Optional[Mapping[str, Any]] = None, metadata_directory: Optional[str] = None
) -> str:
    """Writes the wheel and returns its name."""
    info = f"{NAME}-{version()}.dist-info"
    files = package()
    files[f"{info}/LICENSE"] = licence()
    files[f"{info}/METADATA"] = metadata()
    files[f"{info}/WHEEL"] = WHEEL.encode()
    record = f"{info}/RECORD"
    lines = [f"{path},sha256={_digest(content)},{len(content)}" for path, content in sorted(files.items())]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    name = f"{NAME}-{version()}-py3-none-any.whl"
    date = time.gmtime(_date())[:6]
    # Not compressed, so that the bytes do not depend on the version of zlib.
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_STORED) as wheel:
        for path, content in sorted(files.items(), key=lambda entry: (entry[0] == record, entry[0])):
            entry = zipfile.ZipInfo(path, date)
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory: str, config_settings: Optional[Mapping[str, Any]] = None) -> str:
    """Writes the source archive and returns its name."""
    files = {path: content for path, content in package().items() if not path.endswith("_version.py")}
    for file in ("README.md", "build.py", "pyproject.toml"):
        files[file] = (HERE / file).read_bytes()
    for test in sorted((HERE / "tests").glob("*.py")):
        files[f"tests/{test.name}"] = test.read_bytes()
    files["LICENSE"] = licence()
    files["PKG-INFO"] = metadata()
    root = f"{NAME}-{version()}"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{root}/{path}")
            entry.size, entry.mtime, entry.mode = len(content), _date(), 0o644
            tar.addfile(entry, io.BytesIO(content))
    name = f"{root}.tar.gz"
    (Path(sdist_directory) / name).write_bytes(gzip.compress(archive.getvalue(), mtime=_date()))
    return name


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _date() -> int:
    return max(_EARLIEST, int(os.environ.get("SOURCE_DATE_EPOCH", _EARLIEST)))


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "dist"
    folder.mkdir(parents=True, exist_ok=True)
    for build in (build_wheel, build_sdist):
        print(folder / build(str(folder)))


if __name__ == "__main__":
    main()
