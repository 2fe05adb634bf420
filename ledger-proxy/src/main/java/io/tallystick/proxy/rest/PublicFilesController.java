package io.tallystick.proxy.rest;

import io.tallystick.model.Bytes;
import io.tallystick.model.RejectionCode;
import io.tallystick.model.RequestRejectedException;
import io.tallystick.model.StrandId;
import io.tallystick.proxy.access.Bearer;
import io.tallystick.proxy.access.ReadAccess;
import io.tallystick.proxy.access.ReadAccess.Wants;
import io.tallystick.proxy.access.ReadGrant;
import io.tallystick.server.BundlePiece;
import io.tallystick.server.LedgerNode;
import io.tallystick.tile.TileBundle;
import io.tallystick.tile.TileName;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/// The public read path: a ledger's log as the files of C2SP tlog-tiles, at the path its origin
/// names. Files are cut on demand; what a path names never changes, so all but the checkpoint may
/// be kept for ever. Those of a ledger that is not public need a member's token. Source:
/// docs/formats/tiles.md.
@RestController
final class PublicFilesController {
  private static final String LOG = "/l/{ledger}/{strand}";
  private static final String FOR_EVER = "public, max-age=31536000, immutable";
  private static final String FOR_EVER_TO_ONE = FOR_EVER.replace("public", "private");
  private static final String NO_STORE = "no-store";
  private static final String TEXT = "text/plain;charset=utf-8";

  private final ReadAccess access;
  private final PlatformThreads threads;

  PublicFilesController(ReadAccess access, PlatformThreads threads) {
    this.access = access;
    this.threads = threads;
  }

  @GetMapping(LOG + "/checkpoint")
  ResponseEntity<byte[]> checkpoint(
      @PathVariable("ledger") String ledger,
      @PathVariable("strand") String strandText,
      Bearer bearer)
      throws RequestRejectedException {
    StrandId strand = strand(ledger, strandText);
    byte[] note =
        threads.call(() -> access.node(strand.ledger(), bearer, Wants.EVIDENCE).checkpoint(strand));
    return ResponseEntity.ok()
        .contentType(MediaType.parseMediaType(TEXT))
        .cacheControl(CacheControl.noCache())
        .body(note);
  }

  @GetMapping({LOG + "/tile/**", LOG + "/bodies/**"})
  void file(
      @PathVariable("ledger") String ledger,
      @PathVariable("strand") String strandText,
      Bearer bearer,
      HttpServletRequest request,
      HttpServletResponse response)
      throws RequestRejectedException, IOException, NoResourceFoundException {
    StrandId strand = strand(ledger, strandText);
    String prefix = "/l/" + ledger + "/" + strandText + "/";
    String path = request.getRequestURI().substring(prefix.length());
    TileName name =
        TileName.parse(path)
            .orElseThrow(
                () -> new NoResourceFoundException(HttpMethod.GET, request.getRequestURI(), path));
    boolean erasable = name.kind() == TileName.Kind.BODIES;
    Pieces pieces = threads.call(() -> Pieces.open(access, strand, bearer, name));
    response.setHeader(HttpHeaders.CACHE_CONTROL, cacheControl(erasable, pieces.grant));
    response.setContentType(MediaType.APPLICATION_OCTET_STREAM_VALUE);
    if (pieces.whole()) {
      response.setContentLength(pieces.piece.size());
    }
    OutputStream out = response.getOutputStream();
    out.write(pieces.piece.unsafeArray());
    while (!pieces.whole()) {
      try {
        var _ = threads.call(pieces::readNext);
      } catch (RequestRejectedException | RuntimeException | Error e) {
        throw new BrokenOffException(e);
      }
      // A slow reader holds its own virtual thread, never one that reads files.
      out.write(pieces.piece.unsafeArray());
    }
  }

  /// A body may be erased one day, and must then be gone from caches too; what only members may
  /// read is for their own caches alone.
  private static String cacheControl(boolean erasable, ReadGrant grant) {
    return erasable ? NO_STORE : grant.isPublic() ? FOR_EVER : FOR_EVER_TO_ONE;
  }

  /// What is refused after the file's first bytes left: the connection must end in the middle, or
  /// the file would seem whole.
  static final class BrokenOffException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenOffException(Throwable cause) {
      super(cause);
    }
  }

  private static StrandId strand(String ledger, String strand) throws RequestRejectedException {
    if (!strand.equals("0")) {
      throw new RequestRejectedException(RejectionCode.OUT_OF_RANGE, "a ledger has strand 0 only");
    }
    return Paths.strand(ledger);
  }

  /// A file, one piece after another, so that none has to be held whole.
  private static final class Pieces {
    private final ReadGrant grant;
    private final StrandId strand;
    private final TileName name;
    private final long end;
    private long next;
    private Bytes piece = Bytes.EMPTY;

    private Pieces(ReadGrant grant, StrandId strand, TileName name) {
      this.grant = grant;
      this.strand = strand;
      this.name = name;
      this.next = name.first();
      this.end = next + name.width();
    }

    /// With the first piece, before the first byte leaves: what is refused must be a problem
    /// document.
    static Pieces open(ReadAccess access, StrandId strand, Bearer bearer, TileName name)
        throws RequestRejectedException {
      Wants wants = name.kind() == TileName.Kind.BODIES ? Wants.BODIES : Wants.EVIDENCE;
      Pieces pieces = new Pieces(access.grant(strand.ledger(), bearer, wants), strand, name);
      LedgerNode node = pieces.grant.node();
      if (name.kind() == TileName.Kind.HASHES) {
        pieces.piece = Bytes.wrap(node.tile(strand, name.level(), pieces.next, name.width()));
        pieces.next = pieces.end;
        return pieces;
      }
      if (pieces.end > node.ledger(strand.ledger()).size()) {
        throw new RequestRejectedException(
            RejectionCode.OUT_OF_RANGE, "there are no " + name.width() + " items of this file yet");
      }
      pieces.read();
      return pieces;
    }

    /// Whether the piece that was read last is the last one.
    boolean whole() {
      return next == end;
    }

    /// @return whether it is whole now
    boolean readNext() throws RequestRejectedException {
      grant.recheck();
      read();
      return whole();
    }

    private void read() throws RequestRejectedException {
      BundlePiece read = grant.node().bundle(strand, kind(), next, end);
      piece = read.bytes();
      next = read.next();
    }

    private TileBundle kind() {
      return switch (name.kind()) {
        case ENTRIES -> TileBundle.ENTRIES;
        case ATTESTATIONS -> TileBundle.ATTESTATIONS;
        case BODIES -> TileBundle.BODIES;
        case HASHES -> throw new AssertionError("hashes are no bundle");
      };
    }
  }
}
