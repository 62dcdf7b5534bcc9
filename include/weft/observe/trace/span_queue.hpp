#pragma once

#include <weft/base/text/span.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace weft {

/** Spans that wait for an exporter: bounded, so that one that is slow or gone costs spans and neither time nor memory.
 *
 *  @par Thread safety   All operations from any OS thread. */
class span_queue {
public:
    /** @param max      Spans that wait at most. Further ones are dropped, and counted.
     *  @param batch    `on_batch` is called when so many wait.
     *  @param on_batch Must be quick, and may be called on any loop; may be empty. */
    explicit span_queue(std::size_t max = 2048, std::size_t batch = 512, std::function<void()> on_batch = {});

    /** @return   How many had no place. */
    std::size_t add(std::vector<span> spans);
    /** The oldest spans, at most `max`. */
    [[nodiscard]] std::vector<span> take(std::size_t max);

    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::uint64_t dropped() const;

private:
    const std::size_t max_;
    const std::size_t batch_;
    const std::function<void()> on_batch_;
    mutable std::mutex changing_;
    std::vector<span> spans_;
    std::uint64_t dropped_ = 0;
};

}  // namespace weft
