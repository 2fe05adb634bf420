package io.tallystick.storage.stream;

/// The tail that was cut from a stream when its writer opened: the beginning of a frame that was
/// never whole on the disk.
///
/// @param file the segment's
/// @param offset of the first byte that was cut, in the file
/// @param frame its number
/// @param bytes from there to the last one that was not zero
public record TornTail(String file, long offset, long frame, long bytes) {}
