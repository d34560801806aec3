/** SQL servers for tests: one MariaDB per test run, or an external server. */
package io.millrace.tests.server;
