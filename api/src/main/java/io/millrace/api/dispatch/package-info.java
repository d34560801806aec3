/** What waiting jobs compete for: fair shares and licences, as shown and set by operators. */
package io.millrace.api.dispatch;
