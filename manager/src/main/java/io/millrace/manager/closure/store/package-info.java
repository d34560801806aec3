/** The table of quick failures and closures. Works in its caller's transaction. */
package io.millrace.manager.closure.store;
