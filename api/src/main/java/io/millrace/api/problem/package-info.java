/**
 * Errors as users meet them: a stable code, the ids involved and what to do. Used by every module.
 */
package io.millrace.api.problem;
