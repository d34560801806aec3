/** Identities of callers: tokens, their keys, and the files that keep them private. */
package io.millrace.platform.identity;
