# SPDX-License-Identifier: Apache-2.0
"""Makes C++ headers and Python modules of a package of ROS messages, with Debian's generators.

generate_messages.py PACKAGE OUT: PACKAGE is a folder with msg/, srv/ and action/; writes OUT/share, OUT/include and
OUT/python.
"""

import pathlib
import shutil
import subprocess
import sys

source, out = map(pathlib.Path, sys.argv[1:])
name = source.name
share, include, python = out / "share" / name, out / "include" / name, out / "python" / name
for folder in (share, include, python):
    shutil.rmtree(folder, ignore_errors=True)
shutil.copytree(source, share)
(share / "msg").mkdir(exist_ok=True)


def run(*words):
    done = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")


for action in sorted(share.glob("action/*.action")):
    run("/usr/lib/actionlib_msgs/genaction.py", action, "-o", share / "msg")
# every package that is there may be named in a message
packages = {package.parent.name: package.parent / "msg" for root in ("/usr/share", out / "share")
            for package in sorted(pathlib.Path(root).glob("*/package.xml")) if (package.parent / "msg").is_dir()}
places = [f"-I{package}:{folder}" for package, folder in sorted(packages.items())]
for kind, generator in (("msg", "genmsg_py.py"), ("srv", "gensrv_py.py")):
    files = sorted(share.glob(f"{kind}/*.{kind}"))
    for path in files:
        run("/usr/lib/gencpp/gen_cpp.py", path, *places, "-p", name, "-o", include, "-e", "/usr/share/gencpp")
    if files:
        run(f"/usr/lib/genpy/{generator}", *files, *places, "-p", name, "-o", python / kind)
        run(f"/usr/lib/genpy/{generator}", "--initpy", "-p", name, "-o", python / kind)
(python / "__init__.py").write_text("")
