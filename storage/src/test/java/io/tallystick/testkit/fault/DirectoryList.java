package io.tallystick.testkit.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;

/// What a directory holds, from the names of all files below it.
final class DirectoryList {
  private DirectoryList() {}

  /// First elements of the names behind `start`, each once, sorted.
  static List<String> of(SortedSet<String> names, int start) {
    List<String> elements = new ArrayList<>();
    String last = "";
    for (String name : names) {
      int slash = name.indexOf('/', start);
      String element = slash < 0 ? name.substring(start) : name.substring(start, slash);
      // The files of one folder follow each other.
      if (!element.equals(last)) {
        elements.add(element);
        last = element;
      }
    }
    Collections.sort(elements);
    return elements;
  }
}
