"""lit + FileCheck suites: every .mlir file below test/. Run: lit test --param build=<build>."""

import os

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
build = os.path.abspath(os.path.join(root, lit_config.params.get("build", "build")))  # noqa: F821
llvm_bin = "/usr/lib/llvm-22/bin"

config.name = "tegula"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs", "unit", "python"]  # noqa: F821
config.test_source_root = os.path.dirname(os.path.abspath(__file__))  # noqa: F821
config.test_exec_root = os.path.join(build, "test", "lit")  # noqa: F821
config.environment["PATH"] = os.pathsep.join(  # noqa: F821
    [os.path.join(build, "bin"), llvm_bin, config.environment["PATH"]]  # noqa: F821
)
config.substitutions.append(("%root", root))  # noqa: F821
