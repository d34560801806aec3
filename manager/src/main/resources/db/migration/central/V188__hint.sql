-- What central managers whisper to one another, never the truth; deleted after a minute.
create table hint (
  id bigint not null auto_increment primary key,
  sender varchar(300) not null,
  words varchar(8000) not null,
  sent_at datetime(6) not null
) ${tableOptions}
