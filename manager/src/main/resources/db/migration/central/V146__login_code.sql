-- Codes that open the dashboard once. Only their hash is kept.
create table login_code (
  code_hash varchar(64) not null primary key,
  subject varchar(200) not null,
  role varchar(32) not null,
  expires_at datetime(6) not null
) ${tableOptions}
