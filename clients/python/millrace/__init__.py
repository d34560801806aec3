"""The Python client of Millrace: jobs, workflows, queues, and shares of partitioned resources.

Standard library only. ``Client()`` finds the cluster as the ``millrace`` command does.
"""

from millrace.client import Client
from millrace.consumer import Consumer
from millrace.delivery import Delivery, Receipts
from millrace.errors import MillraceError, TimedOut, Unreachable
from millrace.heldsession import Session, SessionEvent
from millrace.job import ArrayProgress, Attempt, Job, JobDetails, JobEvent, Jobs, ProgramProgress
from millrace.jobspec import Dependency, JobSpec, Notification, RetryPolicy
from millrace.partition import Batch, Member, Membership, Share
from millrace.placeholder import ListFromStep, from_step
from millrace.queue import EventDraft, Queue, RefusedEvent, Sent
from millrace.session import SessionWorker
from millrace.sessionprogram import SessionProgram, session_worker
from millrace.workflow import Breaker, InvalidWorkflow, ListedStep, Need, Step, Template, Workflow
from millrace.workflowrun import (
    AwaitedList,
    CriticalPath,
    FailureGroup,
    PendingReset,
    StepDetails,
    StepProgress,
    TemplateGraph,
    TemplatePause,
    TemplateProgress,
    TemplateResources,
    WorkflowDetails,
    WorkflowEvent,
    WorkflowRun,
    WorkflowStep,
)
from millrace.workflows import Workflows

try:
    from millrace._version import __version__  # type: ignore[import-not-found,unused-ignore]
except ImportError:  # the source tree; build.py writes the version into what it builds
    __version__ = "0+source"

__all__ = [
    "ArrayProgress",
    "Attempt",
    "AwaitedList",
    "Batch",
    "Breaker",
    "Client",
    "Consumer",
    "CriticalPath",
    "Delivery",
    "Dependency",
    "EventDraft",
    "FailureGroup",
    "InvalidWorkflow",
    "Job",
    "JobDetails",
    "JobEvent",
    "JobSpec",
    "Jobs",
    "ListFromStep",
    "ListedStep",
    "Member",
    "Membership",
    "MillraceError",
    "Need",
    "Notification",
    "PendingReset",
    "ProgramProgress",
    "Queue",
    "Receipts",
    "RefusedEvent",
    "RetryPolicy",
    "Sent",
    "Session",
    "SessionEvent",
    "SessionProgram",
    "SessionWorker",
    "Share",
    "Step",
    "StepDetails",
    "StepProgress",
    "Template",
    "TemplateGraph",
    "TemplatePause",
    "TemplateProgress",
    "TemplateResources",
    "TimedOut",
    "Unreachable",
    "Workflow",
    "WorkflowDetails",
    "WorkflowEvent",
    "WorkflowRun",
    "WorkflowStep",
    "Workflows",
    "__version__",
    "from_step",
    "session_worker",
]
