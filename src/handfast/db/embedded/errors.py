"""Errors of the embedded server: this machine cannot do what was asked."""

from handfast.base.errors import MachineError


class BackupFailed(MachineError):
    """Saving or loading did not come to its end; what was there before is as it was."""

    code = "BACKUP_FAILED"
    title = "The backup could not be made or loaded"


class BinariesMissing(MachineError):
    code = "BINARIES_MISSING"
    title = "The embedded PostgreSQL is not installed"


class DataFolderUnusable(MachineError):
    code = "DATA_FOLDER_UNUSABLE"
    title = "The data folder cannot be used"


class DataFolderVersion(MachineError):
    code = "DATA_FOLDER_VERSION"
    title = "The data folder belongs to another major version of PostgreSQL"


class DiskFull(MachineError):
    code = "DISK_FULL"
    title = "The disk is full"


class EmbeddedServerFailed(MachineError):
    code = "EMBEDDED_SERVER_FAILED"
    title = "The embedded PostgreSQL did not start"


class SocketPathTooLong(MachineError):
    code = "SOCKET_PATH_TOO_LONG"
    title = "The path of the database socket is too long"
