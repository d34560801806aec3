/** Weights of fair shares and totals of licences, as operators see and set them. */
package io.millrace.manager.share;
