/** Problems over time: when they began and ended, silences, and whom to send them on to. */
package io.millrace.manager.problem;
