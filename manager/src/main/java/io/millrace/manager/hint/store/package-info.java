/** The table of hints. */
package io.millrace.manager.hint.store;
