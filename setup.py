"""The metadata is in setup.cfg. This adds the files of configs/ to what is built."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithConfigs(build_py):
    """Copies configs/ into the package; an editable install reads it where it is."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "spacy_structparse" / "configs"
            target.mkdir(parents=True, exist_ok=True)
            for config in sorted(Path("configs").glob("*.cfg")):
                self.copy_file(str(config), str(target))


setup(cmdclass={"build_py": BuildWithConfigs})
