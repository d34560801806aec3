-- Weights that operators set; every other share weighs 1.
create table share_weight (
  share varchar(200) not null primary key,
  weight double not null
) ${tableOptions}
