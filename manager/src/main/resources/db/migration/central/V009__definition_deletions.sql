-- Deletions of definitions: the version that was in force, and how far its deletion is. A definition is in
-- force unless its highest version is DELETED; its next version continues the numbers.
create table if not exists definition_deletion (
  kind varchar(32) not null,
  name varchar(100) not null,
  version int not null,
  -- DRAIN, DISCARD, STOP or NONE.
  mode varchar(16) not null,
  -- DELETING, ENDING or DELETED.
  state varchar(16) not null,
  said_by varchar(200) not null,
  said_at datetime(6) not null,
  ended_at datetime(6),
  dropped bigint not null,
  primary key (kind, name, version),
  index definition_deletion_by_state (state, kind, ended_at)
) ${tableOptions};
