create table licence (
  name varchar(200) not null primary key,
  total int not null
) ${tableOptions}
