-- The moves of a decision. A queue's first points come from nobody.
create table balancing_move (
  id varchar(36) not null,
  position int not null,
  queue varchar(100) not null,
  version bigint not null,
  giver varchar(200),
  receiver varchar(200) not null,
  points int not null,
  primary key (id, position)
) ${tableOptions}
