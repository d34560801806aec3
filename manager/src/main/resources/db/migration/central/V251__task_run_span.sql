-- Many missed times share a record: the first of them, and how many they are.
alter table task_run add column (
  planned_from datetime(6),
  planned_times bigint default 1 not null
)
