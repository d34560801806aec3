-- Which node has which slot of a queue of sessions. It is part of the queue's weight row: a row with another version than
-- that one was not changed with it, by a server of an earlier version, and does not count.
create table if not exists queue_slot (
  queue varchar(100) not null primary key,
  version bigint not null,
  -- Ranges of slots with their owners, as JSON.
  slots mediumtext not null
) ${tableOptions};
