"""The memory framework: facts that an agent remembers and recalls, as tables of the engine.

Read in this order: schema/ (the tables, as data), vectors.py and texts.py (what may come in), knowledge.py
(remembering), entities.py and graph.py (the names that facts share), recall.py (finding: filters.py, vector_arm.py, fusion.py,
spread.py and diversity.py are its steps, recall_config.py and options.py its knobs), sessions.py, branches.py, turns.py and tool_calls.py
(conversations; timeline.py and totals.py tell of them), context.py (the next prompt), tasks.py, permissions.py, reminders.py, jobs.py,
subagents.py and mailbox.py (the work of agents), events.py, files.py, code_graph.py, objects.py and states.py (what agents that write
code keep), zengram_memory.py (the face).
"""

from .budgets import BudgetReport, StorageBudget
from .code_graph import CodeFile, CodeHub, CodeNode, CodeSource, CodeStep
from .events import Event
from .extraction import ExtractionConfig
from .facts import Collision, PeerFact
from .file_reservations import FileReservation
from .files import FileOperation, WorkspaceFile
from .graph import Entity
from .hits import Explanation, Hit
from .jobs import Job
from .knowledge import Fact
from .mailbox import Agent, Message
from .memory_branches import (
    FactChange,
    MemoryBranch,
    MemoryDiff,
    MemoryMerge,
    RowConflict,
    SubjectConflict,
    TurnChange,
)
from .objects import Bundle, Concept, RelatedConcept
from .options import FactOptions, RecallOptions
from .permissions import PermissionDecision, PermissionRule
from .provenance import Contradiction, Origin
from .recall_config import RecallConfig
from .reminders import Reminder
from .sessions import NewSession, Session, SessionBranch
from .states import Environment, Snapshot, StateSnapshot, Workspace
from .subagents import SubagentRun
from .tasks import Task, TaskDependency, TaskFile
from .timeline import TimelineEvent
from .tool_calls import ToolCall
from .totals import BranchTotals, SessionTotals
from .turns import Part, Turn
from .window import ContextBlock, ContextItem, ContextWindow
from .zengram_memory import ZengramMemory

__all__ = [
    "Agent",
    "BranchTotals",
    "BudgetReport",
    "Bundle",
    "CodeFile",
    "CodeHub",
    "CodeNode",
    "CodeSource",
    "CodeStep",
    "Collision",
    "Concept",
    "ContextBlock",
    "ContextItem",
    "ContextWindow",
    "Contradiction",
    "Entity",
    "Environment",
    "Event",
    "Explanation",
    "ExtractionConfig",
    "Fact",
    "FactChange",
    "FactOptions",
    "FileOperation",
    "FileReservation",
    "Hit",
    "Job",
    "MemoryBranch",
    "MemoryDiff",
    "MemoryMerge",
    "Message",
    "NewSession",
    "Origin",
    "Part",
    "PeerFact",
    "PermissionDecision",
    "PermissionRule",
    "RecallConfig",
    "RecallOptions",
    "RelatedConcept",
    "Reminder",
    "RowConflict",
    "Session",
    "SessionBranch",
    "SessionTotals",
    "Snapshot",
    "StateSnapshot",
    "StorageBudget",
    "SubagentRun",
    "SubjectConflict",
    "Task",
    "TaskDependency",
    "TaskFile",
    "TimelineEvent",
    "ToolCall",
    "Turn",
    "TurnChange",
    "Workspace",
    "WorkspaceFile",
    "ZengramMemory",
]
