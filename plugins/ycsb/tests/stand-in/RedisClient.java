package site.ycsb.db;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;

/**
 * A stand-in for YCSB's Redis binding, for tests alone: that one is not in Maven's repository.
 * Everything else of YCSB is its own. It has the binding's name and sends the same commands, so that
 * the plugin meets what it would meet there.
 */
public final class RedisClient extends DB {
  private static final String INDEX = "_indices";

  private Socket socket;
  private InputStream in;
  private OutputStream out;

  @Override
  public void init() throws DBException {
    String host = getProperties().getProperty("redis.host");
    int port = Integer.parseInt(getProperties().getProperty("redis.port"));
    try {
      socket = new Socket(host, port);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
      out = new BufferedOutputStream(socket.getOutputStream());
    } catch (IOException error) {
      throw new DBException(error);
    }
  }

  @Override
  public void cleanup() throws DBException {
    try {
      socket.close();
    } catch (IOException error) {
      throw new DBException(error);
    }
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    if (fields == null) {
      List<?> pairs = (List<?>) ask(List.of("HGETALL", key));
      for (int at = 0; at < pairs.size(); at += 2) {
        result.put((String) pairs.get(at), new StringByteIterator((String) pairs.get(at + 1)));
      }
    } else {
      List<String> names = new ArrayList<>(fields);
      List<String> words = new ArrayList<>(List.of("HMGET", key));
      words.addAll(names);
      List<?> values = (List<?>) ask(words);
      for (int at = 0; at < names.size(); at++) {
        if (values.get(at) != null) {
          result.put(names.get(at), new StringByteIterator((String) values.get(at)));
        }
      }
    }
    return result.isEmpty() ? Status.ERROR : Status.OK;
  }

  @Override
  public Status scan(
      String table,
      String start,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    String from = String.valueOf((double) start.hashCode());
    List<?> keys =
        (List<?>)
            ask(List.of("ZRANGEBYSCORE", INDEX, from, "+inf", "LIMIT", "0", "" + count));
    for (Object key : keys) {
      HashMap<String, ByteIterator> values = new HashMap<>();
      read(table, (String) key, fields, values);
      result.add(values);
    }
    return Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    List<String> words = new ArrayList<>(List.of("HMSET", key));
    for (Map.Entry<String, String> each : StringByteIterator.getStringMap(values).entrySet()) {
      words.add(each.getKey());
      words.add(each.getValue());
    }
    return "OK".equals(ask(words)) ? Status.OK : Status.ERROR;
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Status written = update(table, key, values);
    ask(List.of("ZADD", INDEX, String.valueOf((double) key.hashCode()), key));
    return written;
  }

  @Override
  public Status delete(String table, String key) {
    ask(List.of("DEL", key));
    ask(List.of("ZREM", INDEX, key));
    return Status.OK;
  }

  private Object ask(List<String> words) {
    try {
      out.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.UTF_8));
      for (String word : words) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        out.write(bytes);
        out.write('\r');
        out.write('\n');
      }
      out.flush();
      return answer();
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  private Object answer() throws IOException {
    String line = line();
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+':
        return rest;
      case ':':
        return Long.parseLong(rest);
      case '$':
        int length = Integer.parseInt(rest);
        if (length < 0) {
          return null;
        }
        byte[] bytes = in.readNBytes(length);
        line();
        return new String(bytes, StandardCharsets.UTF_8);
      case '*':
        List<Object> answers = new ArrayList<>();
        for (int left = Integer.parseInt(rest); left > 0; left--) {
          answers.add(answer());
        }
        return answers;
      default:
        throw new IOException(rest);
    }
  }

  private String line() throws IOException {
    StringBuilder found = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (next == '\n') {
        return found.toString();
      }
      if (next != '\r') {
        found.append((char) next);
      }
    }
  }
}
