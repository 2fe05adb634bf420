package io.tallystick.proxy.rest;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;

/// The two forms of a receipt, and which of them a caller wants.
enum AnswerForm {
  JSON,
  COSE;

  private static final MediaType COSE_TYPE = MediaType.parseMediaType(JournalController.COSE);

  MediaType type() {
    return switch (this) {
      case JSON -> MediaType.APPLICATION_JSON;
      case COSE -> COSE_TYPE;
    };
  }

  /// @param accept the header; absent, or as fond of both, takes `usual`
  /// @throws HttpMediaTypeNotAcceptableException if it takes neither
  static AnswerForm of(@Nullable String accept, AnswerForm usual)
      throws HttpMediaTypeNotAcceptableException {
    if (accept == null || accept.isBlank()) {
      return usual;
    }
    List<MediaType> wanted;
    try {
      wanted = MediaType.parseMediaTypes(accept);
    } catch (InvalidMediaTypeException e) {
      throw new HttpMediaTypeNotAcceptableException("Accept is malformed");
    }
    AnswerForm other = usual == JSON ? COSE : JSON;
    double liking = liking(wanted, usual);
    double otherLiking = liking(wanted, other);
    if (liking <= 0 && otherLiking <= 0) {
      throw new HttpMediaTypeNotAcceptableException(List.of(JSON.type(), COSE.type()));
    }
    return otherLiking > liking ? other : usual;
  }

  /// The quality of the most specific range that takes `form`; 0 if none does.
  private static double liking(List<MediaType> wanted, AnswerForm form) {
    return wanted.stream()
        .filter(range -> range.includes(form.type()))
        .max(Comparator.comparingInt(AnswerForm::specificity))
        .map(MediaType::getQualityValue)
        .orElse(0.0);
  }

  private static int specificity(MediaType range) {
    return range.isWildcardType() ? 0 : range.isWildcardSubtype() ? 1 : 2;
  }
}
