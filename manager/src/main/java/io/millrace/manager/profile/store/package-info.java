/** The table of usage profiles. Works in its caller's transaction. */
package io.millrace.manager.profile.store;
