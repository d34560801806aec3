/** SQL servers for tests: one MariaDB per test run, or one given from outside. */
package io.millrace.tests.server;
