-- The record of the planned times that passed in the pause that lasts; empty before the first.
alter table task_schedule add column (pause_record bigint)
