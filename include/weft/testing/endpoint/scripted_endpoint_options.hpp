#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::testing {

/** What the scripted endpoint speaks below HTTP. */
enum class scripted_transport {
    tls,         ///< TLS 1.2 or newer, as the client likes.
    tls_1_2,     ///< TLS 1.2 only.
    tls_1_1,     ///< TLS 1.1 only, which clients should refuse.
    plain,       ///< HTTP without TLS.
    silent,      ///< TCP connections are accepted, and nothing is ever said.
};

/** What is wrong with the certificate of the scripted endpoint. */
enum class scripted_certificate {
    good,
    expired,
    not_yet_valid,
    wrong_host,         ///< Made for `elsewhere.example`.
    unknown_authority,  ///< Signed by another authority than `ca_pem()` is of.
};

/** How a scripted endpoint is set up. */
class scripted_endpoint_options {
public:
    scripted_endpoint_options() {}

    scripted_endpoint_options& transport(scripted_transport kind) noexcept
    {
        return transport_ = kind, *this;
    }
    scripted_endpoint_options& certificate(scripted_certificate kind) noexcept
    {
        return certificate_ = kind, *this;
    }
    /** Multiplies every time in the script; 0 makes all replies as fast as possible. */
    scripted_endpoint_options& pace(double factor) noexcept { return pace_ = factor, *this; }
    /** Decides about jitter: the n-th use of a rule has the same in every run. */
    scripted_endpoint_options& seed(std::uint64_t seed) noexcept { return seed_ = seed, *this; }
    /** How many requests are kept for `requests()`; older ones are forgotten. */
    scripted_endpoint_options& requests_kept_max(std::size_t count) noexcept
    {
        return requests_kept_max_ = count, *this;
    }

    [[nodiscard]] scripted_transport transport() const noexcept { return transport_; }
    [[nodiscard]] scripted_certificate certificate() const noexcept { return certificate_; }
    [[nodiscard]] double pace() const noexcept { return pace_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] std::size_t requests_kept_max() const noexcept { return requests_kept_max_; }

private:
    scripted_transport transport_ = scripted_transport::tls;
    scripted_certificate certificate_ = scripted_certificate::good;
    double pace_ = 1;
    std::uint64_t seed_ = 1;
    std::size_t requests_kept_max_ = 10'000;
};

}  // namespace weft::testing
