/**
 * What earlier runs of the same definition used (H-245): learned when attempts end, booked for new
 * jobs that don't say what they need, never enforced. Submission and closures ask it.
 */
package io.millrace.manager.profile;
