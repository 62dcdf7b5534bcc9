#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sse_vectors {

using namespace std::string_literals;

struct event {
    std::string type, data, id;
    friend bool operator==(const event&, const event&) = default;
};

struct vector {
    std::string name;
    std::vector<std::string> reads;
    std::vector<event> events;
    bool is_pending_at_end = false;
    std::optional<int> retry = std::nullopt;

    [[nodiscard]] std::string whole() const
    {
        std::string text;
        for (const std::string& read : reads) text += read;
        return text;
    }
    friend std::ostream& operator<<(std::ostream& out, const vector& v) { return out << v.name; }
};

inline event message(std::string data, std::string id = {}) { return {"message", std::move(data), std::move(id)}; }

/** Streams and what a browser makes of them, one rule each. */
inline const std::vector<vector> all = {
    {"simple", {"data: a\n\n"}, {message("a")}},
    {"no space", {"data:a\n\n"}, {message("a")}},
    {"only one space is stripped", {"data:  a\n\n"}, {message(" a")}},
    {"a tab is not stripped", {"data:\ta\n\n"}, {message("\ta")}},
    {"several data lines", {"data: a\ndata: b\n\n"}, {message("a\nb")}},
    {"trailing empty data line", {"data: a\ndata:\n\n"}, {message("a\n")}},
    {"data as a bare name", {"data\n\n"}, {message("")}},
    {"two bare names", {"data\ndata\n\n"}, {message("\n")}},
    {"pending at the end", {"data: a\n\ndata: b\n"}, {message("a")}, true},
    {"crlf", {"data: a\r\n\r\ndata: b\r\n\r\n"}, {message("a"), message("b")}},
    {"lone cr", {"data: a\r\rdata: b\r\r"}, {message("a"), message("b")}},
    {"cr then lf in the next read", {"data: a\r", "\n\r", "\ndata: b\n\n"}, {message("a"), message("b")}},
    {"cr at the end of a read delivers at once", {"data: a\r\n\r"}, {message("a")}},
    {"lf and cr mixed", {"data: a\n\rdata: b\r\n\n"}, {message("a"), message("b")}},
    {"byte order mark", {"\xef\xbb\xbf", "data: a\n\n"}, {message("a")}},
    {"split byte order mark", {"\xef", "\xbb", "\xbf" "d", "ata: a\n\n"}, {message("a")}},
    {"second byte order mark is data", {"\xef\xbb\xbf\xef\xbb\xbf", "data: a\n\ndata: b\n\n"}, {message("b")}},
    {"begun byte order mark is data", {"\xef\xbb", "data: a\n\ndata: b\n\n"}, {message("b")}},
    {"comments", {": ping\n\n:\n\ndata: a\n: x\ndata: b\n\n"}, {message("a\nb")}},
    {"type", {"event: ping\ndata: {}\n\ndata: x\n\n"}, {{"ping", "{}", ""}, message("x")}},
    {"last type wins", {"event: a\nevent: b\ndata: x\n\n"}, {{"b", "x", ""}}},
    {"type emptied again", {"event: a\nevent:\ndata: x\n\n"}, {message("x")}},
    {"an event without data resets the type", {"event: a\n\ndata: x\n\n"}, {message("x")}},
    {"the id stays", {"id: 7\ndata: a\n\ndata: b\n\n"}, {message("a", "7"), message("b", "7")}},
    {"an id without data counts", {"id: 9\n\ndata: b\n\n"}, {message("b", "9")}},
    {"id reset", {"id: 7\ndata: a\n\nid\ndata: b\n\n"}, {message("a", "7"), message("b")}},
    {"an id with nul is ignored", {"id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n"s}, {message("a", "7"), message("b", "7")}},
    {"retry", {"retry: 1500\ndata: a\n\n"}, {message("a")}, false, 1500},
    {"retry is bounded", {"retry: 99999999999999999999\n\nretry: x\n\n"}, {}, false, 300'000},
    {"wrong retry", {"retry: 15x\nretry: -1\nretry:\ndata: a\n\n"}, {message("a")}},
    {"colons in the value", {"data: a: b:c\n\n"}, {message("a: b:c")}},
    {"unknown fields and case", {"Data: x\ndata : y\nfoo: z\ndata: a\n\n"}, {message("a")}},
    {"fields that begin like others", {"dat: x\ndatab: y\nid2: z\ndata: a\n\n"}, {message("a")}},
    {"code point cut in two", {"data: \xf0\x9f", "\x98\x80", "\n\n"}, {message("\xf0\x9f\x98\x80")}},
    {"wrong utf-8 is replaced", {"data: a\xff" "b\n\n"}, {message("a\xef\xbf\xbd" "b")}},
    {"wrong utf-8 in the second data line", {"data: a\ndata: \xc3\n\n"}, {message("a\n\xef\xbf\xbd")}},
    {"wrong utf-8 in the type", {"event: \xff\ndata: a\n\n"}, {{"\xef\xbf\xbd", "a", ""}}},
    {"field name cut", {"da", "ta", ":", " ", "a", "\n", "\n"}, {message("a")}},
    {"done sentinel", {"data: {\"x\":1}\n\ndata: [DONE]\n\n"}, {message("{\"x\":1}"), message("[DONE]")}},
    {"many blank lines", {"\n\n\ndata: a\n\n\n\n\n"}, {message("a")}},
    {"no line end at all", {"data: a"}, {}, true},
    {"u+2028 is no line end", {"data: a\xe2\x80\xa8" "b\n\n"}, {message("a\xe2\x80\xa8" "b")}},
};

}  // namespace sse_vectors
