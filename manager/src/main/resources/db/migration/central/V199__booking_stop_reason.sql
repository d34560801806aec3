-- Why somebody other than the job's owner wants the attempt to end, such as a drained node.
alter table booking add column stop_reason varchar(1000)
