package example;

import io.tallystick.client.failure.RequestRefusedException;
import io.tallystick.client.failure.ServiceUnavailableException;
import io.tallystick.client.failure.TallyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Orders over HTTP. What the ledger's service says of a request decides the answer: 409 if a
/// precondition does not hold, 503 if there is no service. Failed evidence is nobody's request: 500,
/// and health is down.
@RestController
@RequestMapping("/orders/{order}")
final class OrdersController {
  private final OrderBook book;

  OrdersController(OrderBook book) {
    this.book = book;
  }

  @PutMapping
  @ResponseStatus(HttpStatus.CREATED)
  String place(@PathVariable String order, @RequestBody String content) throws TallyException {
    return "journal " + book.place(order, content).jsn() + "\n";
  }

  @PostMapping("/shipment")
  String ship(@PathVariable String order) throws TallyException {
    return "journal " + book.ship(order).jsn() + "\n";
  }

  @GetMapping
  String state(@PathVariable String order) throws TallyException {
    return book.stateOf(order) + "\n";
  }

  @ExceptionHandler
  ProblemDetail refused(RequestRefusedException refusal) {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.valueOf(refusal.httpStatus()), String.valueOf(refusal.getMessage()));
  }

  @ExceptionHandler
  ProblemDetail unavailable(ServiceUnavailableException failure) {
    return ProblemDetail.forStatusAndDetail(
        HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failure.getMessage()));
  }
}
