/**
 * Attacks on real servers that a joined machine, a program with a token or a job can make; others
 * are in the tests named in docs/security.md.
 */
package io.millrace.tests.attack;
