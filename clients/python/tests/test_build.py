"""The wheel and the source archive: their contents, and that equal sources give equal files."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

import build


class BuildTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def wheel(self) -> Path:
        return self.folder / build.build_wheel(str(self.folder))

    def test_versions_of_maven_have_the_form_of_python(self) -> None:
        for maven, python in (("0.1.0-SNAPSHOT", "0.1.0.dev0"), ("1.2.0", "1.2.0"), ("1.2.0-rc1", "1.2.0rc1")):
            self.assertEqual(python, build.of_maven(maven))
        with self.assertRaises(ValueError):
            build.of_maven("latest")

    def test_equal_sources_give_equal_files(self) -> None:
        first = self.wheel().read_bytes()
        self.assertEqual(first, self.wheel().read_bytes())
        source = self.folder / build.build_sdist(str(self.folder))
        bytes_of_source = source.read_bytes()
        build.build_sdist(str(self.folder))
        self.assertEqual(bytes_of_source, source.read_bytes())

    def test_the_record_of_the_wheel_lists_every_file_with_its_digest(self) -> None:
        with zipfile.ZipFile(self.wheel()) as wheel:
            self.assertIsNone(wheel.testzip())
            info = f"millrace-{build.version()}.dist-info"
            rows = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
            self.assertEqual(sorted(wheel.namelist()), sorted(row[0] for row in rows))
            for name, digest, size in rows:
                content = wheel.read(name)
                if name.endswith("/RECORD"):
                    self.assertEqual(("", ""), (digest, size))
                    continue
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((f"sha256={expected}", str(len(content))), (digest, size))
            metadata = wheel.read(f"{info}/METADATA").decode()
            self.assertIn(f"\nVersion: {build.version()}\n", metadata)
            self.assertIn("\nRequires-Python: >=3.9\n", metadata)
            self.assertNotIn("Requires-Dist", metadata)
            self.assertIn("Tag: py3-none-any", wheel.read(f"{info}/WHEEL").decode())
            self.assertIn("millrace/py.typed", wheel.namelist())
            self.assertIn(f"{info}/LICENSE", wheel.namelist())

    def test_the_wheel_can_be_imported_as_it_is(self) -> None:
        program = "import millrace; print(millrace.__version__, millrace.__file__)"
        wheel = self.wheel()
        command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(wheel)!r}); {program}"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(build.version(), said[0])
        self.assertTrue(said[1].startswith(str(wheel)), said[1])

    def test_the_source_archive_builds_the_same_wheel(self) -> None:
        with tarfile.open(self.folder / build.build_sdist(str(self.folder))) as archive:
            self.assertEqual({0o644}, {entry.mode for entry in archive.getmembers()})
            for entry in archive.getmembers():
                content = archive.extractfile(entry)
                assert content is not None
                file = self.folder / entry.name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())
        root = self.folder / f"millrace-{build.version()}"
        subprocess.run([sys.executable, "-I", str(root / "build.py")], capture_output=True, check=True)
        built = next((root / "dist").glob("*.whl"))
        self.assertEqual(self.wheel().read_bytes(), built.read_bytes())


if __name__ == "__main__":
    unittest.main()
