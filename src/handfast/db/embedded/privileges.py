"""How not to be root.

PostgreSQL refuses to run as root, and on many machines (containers, fresh servers) root is who we
are. We make no system user and change the mode of no folder that was there before us. Instead the
guardian steps down, before it starts anything:

1. into a user namespace of its own, in which root goes by the number of an ordinary user. The
   kernel still sees root, so every file stays root's. Nothing else changes.
2. where namespaces are forbidden (Docker's default profile) or do not reach far enough: to that
   ordinary user, taking along one capability, CAP_DAC_OVERRIDE, so that the programs and the folder
   can still be reached below a closed /root. Only the cluster, which we made, changes hands.

A cluster that already belongs to an ordinary user is run as that user, in the manner of 2.

The ordinary user is one that the machine knows by name, "nobody" if it can be, because initdb
insists on a name. For the same reason a user without one (``docker run -u 12345``) makes its
cluster in a namespace too, where it borrows a number that has a name.
"""

import ctypes
import os
import pwd
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from handfast.db.embedded.errors import EmbeddedServerFailed

NOBODY = 65534
NO_NAMESPACE = "HANDFAST_GUARDIAN_NO_NAMESPACE"  # for tests: behave as where they are forbidden

CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG, PR_SET_KEEPCAPS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 1, 8, 47, 2
CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER = 0, 1, 3
CAPABILITY_VERSION_3 = 0x20080522


def step_down(pgdata: Path, reach: Sequence[Path]) -> str:
    """Stop being root, if we are; say how. Needs a single-threaded process on Linux.

    ``reach`` are the places that must stay within reach: writable folders and programs.
    """
    owner = _owner(pgdata)
    if os.geteuid() != 0:
        nameless = owner is None and not _has_name(os.geteuid())
        if nameless and sys.platform == "linux" and _namespace_reaches(reach):
            _enter_namespace()
            return "namespace"
        return "unchanged"
    if sys.platform != "linux":
        _become(owner or ordinary_user(), pgdata)
        return "user"
    if owner in (None, 0) and NO_NAMESPACE not in os.environ and _namespace_reaches(reach):
        _enter_namespace()
        return "namespace"
    _keep_capabilities_and_become(owner or ordinary_user(), pgdata)
    return "capabilities"


def ordinary_user() -> int:
    """The number of a user that the machine knows by name: nobody, or else anyone but root."""
    known = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0}
    return known.get("nobody") or next(iter(known.values()), NOBODY)


def _has_name(uid: int) -> bool:
    try:
        return bool(pwd.getpwuid(uid).pw_name)
    except KeyError:
        return False


def die_with_parent(number: int) -> Callable[[], None] | None:
    """For ``preexec_fn``: the kernel sends ``number`` when our process ends. None off Linux.

    It follows the *thread* that forks, so only the main thread may use it.
    """
    if sys.platform != "linux":
        return None
    libc, parent = _libc(), os.getpid()

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # it died before we were tied to it
            os.kill(os.getpid(), signal.SIGKILL)

    return tie


# --- the namespace ----------------------------------------------------------------------------


def _namespace_reaches(reach: Sequence[Path]) -> bool:
    """Try it in a child first: there is no way back out of a namespace."""
    child = os.fork()
    if child == 0:
        verdict = 1
        try:
            _enter_namespace()
            verdict = 0 if all(_usable(place) for place in reach) else 1
        finally:
            os._exit(verdict)
    return os.waitpid(child, 0)[1] == 0


def _usable(place: Path) -> bool:
    return os.access(place, os.X_OK | (os.W_OK if place.is_dir() else os.R_OK))


def _enter_namespace() -> None:
    uid, gid, inside = os.geteuid(), os.getegid(), ordinary_user()
    _checked(_libc().unshare(CLONE_NEWUSER), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{inside} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{inside} {gid} 1")


# --- the capability ---------------------------------------------------------------------------


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def _keep_capabilities_and_become(uid: int, pgdata: Path) -> None:
    held = _permitted()
    # Ours: enough to clear away our own socket folder from a sticky /tmp. PostgreSQL's: one.
    ours = held & (1 << CAP_CHOWN | 1 << CAP_DAC_OVERRIDE | 1 << CAP_FOWNER)
    handed_on = held & 1 << CAP_DAC_OVERRIDE
    libc = _libc()
    _checked(libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl")
    _become(uid, pgdata)
    sets = (_Sets * 2)(_Sets(ours, ours, handed_on), _Sets(0, 0, 0))
    header = _Header(CAPABILITY_VERSION_3, 0)
    _checked(libc.capset(ctypes.byref(header), ctypes.byref(sets)), "capset")
    if handed_on:
        raised = libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0)
        _checked(raised, "prctl")


def _become(uid: int, pgdata: Path) -> None:
    try:
        if pgdata.exists():
            _hand_over(pgdata, uid)
        gid = pgdata.stat().st_gid if pgdata.exists() else uid
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    except OSError as error:
        raise EmbeddedServerFailed(
            "PostgreSQL refuses to run as root, and this process may not become anybody else: "
            f"{error}. User namespaces are forbidden here as well.",
            hint="Run Handfast as an ordinary user, or point it to a PostgreSQL server of your "
            "own.",
        ) from error


def _hand_over(pgdata: Path, uid: int) -> None:
    """Give the cluster to ``uid``: its top folder last, so that an interrupted walk is redone."""
    if pgdata.stat().st_uid == uid:
        return
    for folder, _, files in os.walk(pgdata, topdown=False):
        for name in files:
            os.chown(Path(folder) / name, uid, uid, follow_symlinks=False)
        os.chown(folder, uid, uid, follow_symlinks=False)


def _owner(pgdata: Path) -> int | None:
    try:
        return pgdata.stat().st_uid
    except FileNotFoundError:
        return None


def _permitted() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapPrm:"):
            return int(line.split()[1], 16)
    return 0


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, call: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
