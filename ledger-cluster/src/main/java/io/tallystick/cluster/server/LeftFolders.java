package io.tallystick.cluster.server;

import io.tallystick.server.host.FollowedShard;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The folders of a server's shards, each by its number. Those of shards that it neither serves nor
/// follows lose their images: an occult erases values where a shard is served or followed.
record LeftFolders(Path folder) {
  private static final Logger LOG = LoggerFactory.getLogger(LeftFolders.class);
  private static final String NAME = "[0-9]{5,9}";

  Path of(int shard) {
    return folder.resolve(String.format(Locale.ROOT, "%05d", shard));
  }

  /// Shards whose folders hold images.
  List<Integer> withImages() {
    List<Integer> shards = new ArrayList<>();
    if (!Files.isDirectory(folder)) {
      return shards;
    }
    try (Stream<Path> all = Files.list(folder)) {
      for (Path each : all.filter(its -> its.getFileName().toString().matches(NAME)).toList()) {
        if (FollowedShard.hasImages(each)) {
          shards.add(Integer.parseInt(each.getFileName().toString()));
        }
      }
    } catch (IOException e) {
      LOG.warn("folders of shards cannot be listed: {}", e.toString());
    }
    return shards;
  }

  /// What cannot be deleted now is found again.
  void forgetImages(int shard) {
    try {
      FollowedShard.forgetImages(of(shard));
      LOG.info("images of shard {} are deleted: it is neither served nor followed here", shard);
    } catch (IOException e) {
      LOG.warn("images of shard {} cannot be deleted now: {}", shard, e.toString());
    }
  }
}
