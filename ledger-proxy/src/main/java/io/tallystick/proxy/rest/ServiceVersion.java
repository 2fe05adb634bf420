package io.tallystick.proxy.rest;

/// The version of the software, as `/v1/service` tells it.
public record ServiceVersion(String value) {}
