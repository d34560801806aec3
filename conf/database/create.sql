-- Creates the central database and its user on MySQL 8+ or MariaDB 10.6+, as an administrator of the server:
--   mysql < conf/database/create.sql
-- Replace the password. Millrace creates and upgrades its tables itself, so the user needs all rights on this database
-- and none elsewhere. Restrict the host of the user to the machines of the central managers.

create database if not exists millrace character set utf8mb4 collate utf8mb4_bin;
create user if not exists 'millrace'@'%' identified by 'secret';
grant all privileges on millrace.* to 'millrace'@'%';

-- For queue nodes that keep their events on the server (queue-node-mysql.yaml), a database of their own each.
create database if not exists millrace_q1 character set utf8mb4 collate utf8mb4_bin;
create user if not exists 'millrace_q1'@'%' identified by 'secret';
grant all privileges on millrace_q1.* to 'millrace_q1'@'%';
