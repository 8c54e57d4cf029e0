"""Errors of jobs, how they are declared and enqueued, and of capabilities."""

from handfast.base.errors import EngineError, SettingsError
from handfast.db.errors import ConstraintViolated


class CapabilityUnknown(SettingsError):
    """A capability was named that there is not."""

    code = "CAPABILITY_UNKNOWN"
    title = "There is no such capability"


class CapabilityOff(SettingsError):
    """Something was asked for that belongs to a capability which is switched off."""

    code = "CAPABILITY_OFF"
    title = "That capability is switched off"


class ChainInvalid(ConstraintViolated):
    """The database refused a chain: a prerequisite that is not there, or the job itself."""

    code = "CHAIN_INVALID"
    title = "These jobs cannot wait for each other like that"
    status = 422


class ExpectationInvalid(EngineError):
    code = "EXPECTATION_INVALID"
    title = "What is expected cannot be computed like that"
    status = 500


class GapsNotRepaired(EngineError):
    """Some expectations could not be repaired; the detail says which, and why."""

    code = "GAPS_NOT_REPAIRED"
    title = "Not all gaps could be repaired"
    status = 500


class JobInvalid(EngineError):
    code = "JOB_INVALID"
    title = "The job cannot be enqueued like that"


class JobMoveRefused(ConstraintViolated):
    """The database refused a move that is not in the table of moves."""

    code = "JOB_MOVE_REFUSED"
    title = "A job may not go from that state to the other"


class JobTooLarge(ConstraintViolated):
    """As the database counts; what Python is given is counted before, and is PayloadInvalid."""

    code = "JOB_TOO_LARGE"
    title = "The payload or the result of a job is too large"
    status = 422


class KindInvalid(EngineError):
    code = "KIND_INVALID"
    title = "The kind of job is not declared like that"
    status = 500


class LeaseLost(EngineError):
    """The job was taken away from this attempt; nothing that it wrote in its transaction stays."""

    code = "LEASE_LOST"
    title = "The attempt no longer holds the job"
    status = 409


class PayloadInvalid(EngineError):
    code = "PAYLOAD_INVALID"
    title = "The payload does not fit the job"


class ScheduleInvalid(EngineError):
    code = "SCHEDULE_INVALID"
    title = "The schedule cannot be followed"


class WorkerLost(EngineError):
    """The worker was silent for longer than its lease; its jobs are somebody else's now."""

    code = "WORKER_LOST"
    title = "The worker has lost its lease"
    status = 409
