"""Trees: what statements say, before any name in them means anything.

expressions.py   values, with a page on how operators lie
queries.py       queries and changes of rows
tables.py objects.py   definitions
commands.py      everything else
"""

from __future__ import annotations

from .commands import (
    Comment,
    CreateBranch,
    Do,
    Explain,
    Maintain,
    MergeBranch,
    RebaseBranch,
    SetCommand,
    Show,
    TransactionCommand,
)
from .expressions import (
    ArrayItems,
    ArrayQuery,
    Between,
    Call,
    Case,
    Cast,
    Collate,
    ColumnRef,
    Default,
    Exists,
    Expression,
    Field,
    Frame,
    FrameBound,
    InList,
    InQuery,
    IsDistinct,
    IsTest,
    Literal,
    Logical,
    Node,
    Not,
    Operator,
    OperatorChain,
    Parameter,
    Quantified,
    Row,
    ScalarQuery,
    SortKey,
    Star,
    Subscript,
    TypeName,
    Window,
)
from .objects import (
    AlterEnum,
    AlterSequence,
    CreateEnum,
    CreateFunction,
    CreateGraph,
    CreateNamespace,
    CreateSequence,
    CreateTrigger,
    CreateView,
    FunctionArgument,
    GraphElement,
)
from .queries import (
    Alias,
    Assignment,
    CommonTable,
    Conflict,
    Delete,
    FromItem,
    FunctionRef,
    GraphTable,
    GroupItem,
    Insert,
    Join,
    Locking,
    Merge,
    MergeWhen,
    PathElement,
    Query,
    QueryRef,
    Select,
    SetOperation,
    TableRef,
    Target,
    Update,
    Values,
    With,
)
from .tables import (
    AddColumn,
    AddConstraint,
    AlterAction,
    AlterColumn,
    AlterTable,
    AlterView,
    ColumnSpec,
    Constraint,
    CreateIndex,
    CreateTable,
    CreateTableAs,
    Drop,
    DropColumn,
    DropConstraint,
    IndexKey,
    Like,
    MoveObject,
    MoveTable,
    Name,
    Options,
    Reference,
    Rename,
    RenameColumn,
    RenameConstraint,
    RenameObject,
    SequenceOptions,
    SetTrigger,
    Truncate,
    ValidateConstraint,
)

Statement = (
    Query
    | Insert
    | Update
    | Delete
    | Merge
    | CreateTable
    | CreateTableAs
    | AlterTable
    | CreateIndex
    | Drop
    | RenameObject
    | MoveObject
    | AlterView
    | Truncate
    | CreateView
    | CreateSequence
    | AlterSequence
    | CreateEnum
    | AlterEnum
    | CreateNamespace
    | CreateFunction
    | CreateTrigger
    | CreateGraph
    | CreateBranch
    | MergeBranch
    | RebaseBranch
    | TransactionCommand
    | SetCommand
    | Show
    | Explain
    | Maintain
    | Do
    | Comment
)

__all__ = [
    "AddColumn",
    "AddConstraint",
    "Alias",
    "AlterAction",
    "AlterColumn",
    "AlterEnum",
    "AlterSequence",
    "AlterTable",
    "AlterView",
    "ArrayItems",
    "ArrayQuery",
    "Assignment",
    "Between",
    "Call",
    "Case",
    "Cast",
    "Collate",
    "ColumnRef",
    "ColumnSpec",
    "Comment",
    "CommonTable",
    "Conflict",
    "Constraint",
    "CreateBranch",
    "CreateEnum",
    "CreateFunction",
    "CreateGraph",
    "CreateIndex",
    "CreateNamespace",
    "CreateSequence",
    "CreateTable",
    "CreateTableAs",
    "CreateTrigger",
    "CreateView",
    "Default",
    "Delete",
    "Do",
    "Drop",
    "DropColumn",
    "DropConstraint",
    "Exists",
    "Explain",
    "Expression",
    "Field",
    "Frame",
    "FrameBound",
    "FromItem",
    "FunctionArgument",
    "FunctionRef",
    "GraphElement",
    "GraphTable",
    "GroupItem",
    "InList",
    "InQuery",
    "IndexKey",
    "Insert",
    "IsDistinct",
    "IsTest",
    "Join",
    "Like",
    "Literal",
    "Locking",
    "Logical",
    "Maintain",
    "Merge",
    "MergeBranch",
    "MergeWhen",
    "MoveObject",
    "MoveTable",
    "Name",
    "Node",
    "Not",
    "Operator",
    "OperatorChain",
    "Options",
    "Parameter",
    "PathElement",
    "Quantified",
    "Query",
    "QueryRef",
    "RebaseBranch",
    "Reference",
    "Rename",
    "RenameColumn",
    "RenameConstraint",
    "RenameObject",
    "Row",
    "ScalarQuery",
    "Select",
    "SequenceOptions",
    "SetCommand",
    "SetOperation",
    "SetTrigger",
    "Show",
    "SortKey",
    "Star",
    "Statement",
    "Subscript",
    "TableRef",
    "Target",
    "TransactionCommand",
    "Truncate",
    "TypeName",
    "Update",
    "ValidateConstraint",
    "Values",
    "Window",
    "With",
]
