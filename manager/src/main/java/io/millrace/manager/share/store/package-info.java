/** The tables of shares and licences. Works in its caller's transaction. */
package io.millrace.manager.share.store;
