package io.tallystick.proxy.rest;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.HttpMediaTypeNotAcceptableException;

/// The media types of evidence, and which of them a caller accepts (RFC 9110 section 12.5.1).
enum AnswerForm {
  JSON,
  /// A receipt.
  COSE,
  /// An evidence file.
  CBOR;

  private static final MediaType COSE_TYPE = MediaType.parseMediaType(JournalController.COSE);

  MediaType type() {
    return switch (this) {
      case JSON -> MediaType.APPLICATION_JSON;
      case COSE -> COSE_TYPE;
      case CBOR -> MediaType.APPLICATION_CBOR;
    };
  }

  /// @param accept the header; if it is absent, or gives several the same quality, the first of
  ///   them
  /// @param forms that the resource has
  /// @throws HttpMediaTypeNotAcceptableException if it takes none
  static AnswerForm of(@Nullable String accept, List<AnswerForm> forms)
      throws HttpMediaTypeNotAcceptableException {
    if (accept == null || accept.isBlank()) {
      return forms.getFirst();
    }
    List<MediaType> wanted;
    try {
      wanted = MediaType.parseMediaTypes(accept);
    } catch (InvalidMediaTypeException e) {
      throw new HttpMediaTypeNotAcceptableException("Accept is malformed");
    }
    AnswerForm best = forms.getFirst();
    for (AnswerForm form : forms) {
      best = quality(wanted, form) > quality(wanted, best) ? form : best;
    }
    if (quality(wanted, best) <= 0) {
      throw new HttpMediaTypeNotAcceptableException(forms.stream().map(AnswerForm::type).toList());
    }
    return best;
  }

  /// The quality of the most specific range that takes `form`; 0 if none does.
  private static double quality(List<MediaType> wanted, AnswerForm form) {
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
