/// The Java client as a bean of a Spring Boot application. Start at {@link
/// io.tallystick.spring.TallyClientAutoConfiguration}; for users: `docs/sdk.md`, "Spring Boot".
@NullMarked
package io.tallystick.spring;

import org.jspecify.annotations.NullMarked;
