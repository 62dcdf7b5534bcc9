#pragma once

#include <weft/base/error.hpp>
#include <weft/base/text/json_path.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** One mistake of a graph file, and where it is. */
struct spec_mistake {
    std::string file;          ///< As the reader's options or the file above name it; may be empty.
    std::uint32_t line = 1;    ///< From 1.
    std::uint32_t column = 1;  ///< From 1, in code points.
    std::string path;          ///< E.g. `$.nodes[3].retry`.
    std::string text;          ///< What is wrong, and what to do.

    /** `support.json:12:7: $.nodes[3].retry: …` */
    [[nodiscard]] std::string to_text() const;
};

/** All mistakes of a graph file and of the files it names, in the order of their places. */
class graph_spec_error : public error {
public:
    graph_spec_error(std::string_view file, std::vector<spec_mistake> mistakes);
    [[nodiscard]] const std::vector<spec_mistake>& mistakes() const noexcept { return mistakes_; }

private:
    std::vector<spec_mistake> mistakes_;
};

/** Takes mistakes while something is read, so that one does not hide the next. */
class spec_mistakes {
public:
    /** The value at `at`, or what should be there, is wrong. */
    virtual void add(const json_path& at, std::string text) = 0;
    /** The name of the member at `at` is wrong. */
    virtual void add_at_name(const json_path& at, std::string text) = 0;
    /** How many were added so far. */
    [[nodiscard]] virtual std::size_t count() const noexcept = 0;
    /** Whether further mistakes are counted only: what is costly to say of them need not be made. */
    [[nodiscard]] virtual bool is_full() const noexcept { return false; }
    /** Whether one was added at `at` or inside of it: what is missing there may be what could not be read. */
    [[nodiscard]] virtual bool has_any_in(const json_path&) const { return false; }

protected:
    ~spec_mistakes() = default;
};

/** Counts mistakes and keeps none: for reading that only asks whether there are any. */
class counted_mistakes final : public spec_mistakes {
public:
    void add(const json_path&, std::string) override { ++count_; }
    void add_at_name(const json_path&, std::string) override { ++count_; }
    [[nodiscard]] std::size_t count() const noexcept override { return count_; }

private:
    std::size_t count_ = 0;
};

/** ` (did you mean 'score'?)` if a known name is close, `; known: a, b, …` if there are any. */
[[nodiscard]] std::string known_names(std::string_view wrong, std::span<const std::string_view> known);
/** The same for a text that goes to `mistakes`: empty if they are full. */
[[nodiscard]] std::string known_names(const spec_mistakes& mistakes, std::string_view wrong,
                                      std::span<const std::string_view> known);

}  // namespace weft
