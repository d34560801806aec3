package io.millrace.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a type that only decides: no input or output, no threads, no clocks. Time and randomness
 * are arguments. The simulator and the property tests run these very classes; an architecture test
 * holds them to it, nested types included.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.CLASS)
public @interface Pure {}
