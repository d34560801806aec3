/** How new machines join: one-use tokens, and what a machine gets for one. Web routes use it. */
package io.millrace.manager.join;
